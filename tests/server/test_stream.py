"""The event stream: complete, in order, resumable, and it ends."""

from __future__ import annotations

import json
import threading

from runners.protocol import Verdict, encode
from tests.server.service import Service, failed, passed


def read(service: Service, submission: int, headers: dict[str, str], **extra: str) -> list[tuple[int, str, object]]:
    """The events that the stream sends until it ends."""
    answer = service.client.get(f"/api/v1/submissions/{submission}/events", headers={**headers, **extra})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = []
    for block in answer.text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "event" in fields:
            events.append((int(fields.get("id", 0)), fields["event"], json.loads(fields["data"])))
    return events


def test_it_tells_all_and_ends(both: Service) -> None:
    ann = both.author()
    submission = both.decided(ann, passed(), "clean")
    events = read(both, submission, ann)
    assert [kind for _, kind, _ in events] == ["queued", "dispatched", "running", "verdict", "decided", "end"]
    assert events[3][2] == {"verdict": "passed", "message": "All cases passed."}
    assert events[4][2] == {"decision": "clean"}
    assert [number for number, _, _ in events] == sorted({number for number, _, _ in events})


def test_it_resumes_after_the_last_event_seen(service: Service) -> None:
    ann = service.author()
    submission = service.decided(ann, passed(), "clean")
    events = read(service, submission, ann)
    cursor = str(events[2][0])
    assert read(service, submission, ann, **{"Last-Event-ID": cursor}) == events[3:]
    answer = service.client.get(f"/api/v1/submissions/{submission}/events?after={cursor}", headers=ann)
    assert answer.text.count("event:") == 3


def test_after_the_end_there_is_only_the_end(service: Service) -> None:
    ann = service.author()
    submission = service.decided(ann, passed(), "clean")
    last = str(read(service, submission, ann)[-1][0])
    assert [kind for _, kind, _ in read(service, submission, ann, **{"Last-Event-ID": last})] == ["end"]


def test_a_nonsensical_last_event_id_starts_from_the_beginning(service: Service) -> None:
    ann = service.author()
    submission = service.decided(ann, passed(), "clean")
    assert len(read(service, submission, ann, **{"Last-Event-ID": "yesterday"})) == 6


def test_it_tells_what_happens_while_it_is_open(both: Service) -> None:
    ann = both.author()
    submission, job = both.started(ann)
    timer = threading.Timer(0.2, lambda: both.put(job, "report", encode(failed(Verdict.WRONG, "wrong here"))))
    timer.start()
    events = read(both, submission, ann)
    timer.join()
    assert ("verdict", {"verdict": "wrong", "message": "wrong here"}) in [(kind, data) for _, kind, data in events]


def test_its_life_is_bounded(service: Service) -> None:
    ann = service.author()
    submission = service.submit(ann)
    assert [kind for _, kind, _ in read(service, submission, ann)] == ["queued"]


def test_it_is_for_the_author_alone(service: Service) -> None:
    ann = service.author()
    submission = service.decided(ann, passed(), "clean")
    url = f"/api/v1/submissions/{submission}/events"
    assert service.client.get(url).status_code == 401
    assert service.client.get(url, headers=service.author("bob")).status_code == 404


def events_of(service: Service, mode: str, events: list[dict[str, object]]) -> list[tuple[str, object]]:
    ann = service.author()
    submission, job = service.started(ann, mode=mode)
    service.put(job, "events", {"events": events})
    service.put(job, "report", encode(failed(Verdict.WRONG)))
    skipped = {"queued", "dispatched", "running", "verdict"}
    return [(kind, data) for _, kind, data in read(service, submission, ann) if kind not in skipped]


PROGRESS: list[dict[str, object]] = [
    {"kind": "stage", "data": {"stage": "test", "total": 3}},
    {"kind": "case", "data": {"stage": "test", "index": 0, "label": "n: 5", "hidden": False, "status": "passed"}},
    {"kind": "case", "data": {"stage": "time", "index": 1, "label": "n: 31337", "hidden": True, "status": "wrong"}},
    {"kind": "progress", "data": {"stage": "time", "index": 1, "done": 30, "total": 240, "extra": "n: 31337"}},
    {"kind": "verdict", "data": {"verdict": "passed"}},
    {"kind": "case", "data": {"stage": {"n": 31337}}},
]


def test_in_a_test_run_the_author_sees_cases_as_they_end(service: Service) -> None:
    assert events_of(service, "test", PROGRESS) == [
        ("stage", {"stage": "test", "total": 3}),
        ("case", {"stage": "test", "index": 0, "label": "n: 5", "hidden": False, "status": "passed"}),
        ("case", {"stage": "time"}),
        ("progress", {"stage": "time", "index": 1, "done": 30, "total": 240}),
    ]


def test_in_a_ranked_run_the_author_sees_stages_and_counts_alone(service: Service) -> None:
    assert events_of(service, "ranked", PROGRESS) == [
        ("stage", {"stage": "test", "total": 3}),
        ("case", {"stage": "test"}),
        ("case", {"stage": "time"}),
        ("progress", {"stage": "time", "done": 30, "total": 240}),
    ]


def test_events_of_a_lost_attempt_are_not_told(service: Service) -> None:
    submission, job = service.started(service.author())
    service.expire_leases()
    service.sweeper().expired_leases()
    assert service.put(job, "events", {"events": PROGRESS[:1]}).json() == {"recorded": False}
    assert "stage" not in service.kinds(submission)
