"""The trusted half: clock, cases, checks, statistics, verdict. Never imports or unpickles anything of a submission."""
