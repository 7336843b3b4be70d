"""All pages, as one router."""

from fastapi import APIRouter

from web.pages import boards, problems, sessions, submissions, submit

router = APIRouter(include_in_schema=False)
for pages in (boards, problems, submit, submissions, sessions):
    router.include_router(pages.router)
