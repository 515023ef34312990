import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def _blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(), flags=re.DOTALL)


def test_the_code_of_the_readme_runs_and_prints_what_it_says(capsys):
    namespace: dict[str, object] = {}
    for block in _blocks("python"):
        exec(block, namespace)
    printed = capsys.readouterr().out
    (shown,) = _blocks("text")
    assert printed == shown
    assert len(namespace["scores"]) == 5


def test_the_two_commands_are_on_the_first_screen():
    first_screen = "\n".join(README.read_text().splitlines()[:20])
    assert "make demo" in first_screen
    assert "make test" in first_screen
    (picture,) = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", first_screen)
    assert (README.parent / picture).is_file()
