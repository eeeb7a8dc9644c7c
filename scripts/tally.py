"""Counts what CTest ran, by its JUnit file: one line "PASSED FAILED SKIPPED", then a line for each skip with its reason."""

import re
import sys
import xml.etree.ElementTree as ElementTree

# As GoogleTest, unittest (subtests are indented) and our shell scripts say why they leave something out.
GTEST = re.compile(r"^.*: Skipped\n(?P<reason>.+)$", re.MULTILINE)
# A program of GoogleTest's that ran several tests in one process.
GTEST_PASSED = re.compile(r"^\[  PASSED  \] (\d+) tests?\.$", re.MULTILINE)
GTEST_SKIPPED = re.compile(r"^.*: Skipped\n(?P<reason>.*)\n(?:(?!\[).*\n)*\[  SKIPPED \] (?P<name>\S+)", re.MULTILINE)
UNITTEST = re.compile(r"^ *(?P<name>\w+) \(.*skipped (?P<quote>['\"])(?P<reason>.*)(?P=quote)$", re.MULTILINE)
SCRIPT = re.compile(r"^skipped: (?P<reason>.+)$", re.MULTILINE)


def reason_of(output):
    for pattern in (GTEST, SCRIPT):
        found = pattern.search(output)
        if found:
            return found["reason"].strip()
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "it does not say why"


def main(path):
    passed = failed = 0
    skips = []
    for case in ElementTree.parse(path).iter("testcase"):
        name = case.get("name")
        output = case.findtext("system-out") or ""
        status = case.get("status")
        if status == "run":
            counts = GTEST_PASSED.findall(output)
            passed += int(counts[-1]) if counts else 1
            skips += [(part["name"], part["reason"].strip()) for part in GTEST_SKIPPED.finditer(output)]
        elif status == "fail":
            failed += 1
        else:
            skips.append((name, reason_of(output)))
        # A script of several tests may leave out some of them.
        skips += [(f"{name}: {part['name']}", part["reason"]) for part in UNITTEST.finditer(output)]
    print(passed, failed, len(skips))
    for name, reason in skips:
        print(f"{name}: {reason}")


if __name__ == "__main__":
    main(sys.argv[1])
