"""Reads a report in JUnit's XML, checks its form, and prints what is in it."""

import sys
import xml.etree.ElementTree as ElementTree

#: The elements, with what may stand in each and what each must and may have.
SCHEMA = {
    "testsuites": ({"testsuite"}, {"tests", "failures", "time"}, {"name", "errors"}),
    "testsuite": ({"testcase"}, {"name", "tests", "failures", "errors", "skipped", "time"}, set()),
    "testcase": ({"failure"}, {"name", "classname", "time"}, {"file", "line"}),
    "failure": (set(), {"message", "type"}, set()),
}


def check(element: ElementTree.Element) -> None:
    children, needed, allowed = SCHEMA[element.tag]
    names = set(element.attrib)
    assert needed <= names <= needed | allowed, (element.tag, names)
    assert {child.tag for child in element} <= children, element.tag
    for number in ("tests", "failures", "errors", "skipped", "line"):
        assert element.get(number, "0").isdigit(), element.attrib
    float(element.get("time", "0"))
    if element.tag in ("testsuite", "testsuites"):
        assert int(element.attrib["tests"]) == len(list(element.iter("testcase")))
        assert int(element.attrib["failures"]) == len(list(element.iter("failure")))
    for child in element:
        check(child)


root = ElementTree.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites"
check(root)
print("testsuites", root.attrib["tests"], root.attrib["failures"], root.attrib["time"])
for suite in root:
    print("testsuite", *(suite.attrib[name] for name in ("name", "tests", "failures", "time")))
    for case in suite:
        print("testcase", *(case.attrib[name] for name in ("name", "line", "time")))
        for failure in case:
            print("failure", failure.attrib["message"])
            for line in (failure.text or "").split("\n"):
                print(" ", line)
