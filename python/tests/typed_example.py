# SPDX-License-Identifier: Apache-2.0
"""How the types look to who uses the package: mypy --strict reads this, nobody runs it."""

import lethe


def publish(path: str) -> dict[str, int]:
    release = lethe.threshold(path, t=5, by="users", time="day")
    if not release.verify():
        raise lethe.Error("input", "damaged")
    chained: lethe.Release = (
        lethe.chain(path).scrub(kinds=["email"]).threshold(t=5).split(by="gap").release("r", map=True)
    )
    page: lethe.Page = chained.report(path, map=chained.map)
    page.save("report.html")
    masked: str = lethe.scrub_text("call 555-123-4567")
    keys: list[str] = lethe.words_key([masked])
    found: lethe.Result = lethe.check(path, qi=["age", "sex"], k=len(keys))
    return release.counts if found else {}
