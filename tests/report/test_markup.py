from __future__ import annotations

from tacit.report._markup import Ids, Markup, element, escaped, joined


def test_plain_text_is_escaped_wherever_it_meets_markup():
    made = element("p", "a < b & c", element("b", "<i>"), title='"x" & <y>')
    assert made == ('<p title="&quot;x&quot; &amp; &lt;y&gt;">a &lt; b &amp; c<b>&lt;i&gt;</b></p>')


def test_markup_is_not_escaped_twice():
    assert escaped(escaped("<&>")) == "&lt;&amp;&gt;"
    assert joined(Markup("<br>"), "<") == "<br>&lt;"


def test_characters_that_html_forbids_are_replaced_and_can_be_written():
    assert escaped("a\x00b\x1bc\ud800d\te\n") == "a\ufffdb\ufffdc\ufffdd\te\n"
    escaped("\udcff").encode()


def test_attributes_are_written_as_html_has_them():
    made = element(
        "rect", class_="a", aria_hidden="true", x=1.0, y=-0.0001, width=2.50049, hidden=True
    )
    assert made == (
        '<rect class="a" aria-hidden="true" x="1" y="0" width="2.5" hidden></rect>'
    )  # fmt: skip
    assert element("p", class_=None, hidden=False) == "<p></p>"


def test_void_elements_have_no_end_tag():
    assert element("img", src="data:,") == '<img src="data:,">'


def test_an_identifier_is_given_once():
    ids = Ids()
    assert [ids.new("How to Repeat this?"), ids.new("How to repeat this")] == [
        "how-to-repeat-this",
        "how-to-repeat-this-2",
    ]


def test_a_wish_that_collides_with_a_numbered_one_gets_the_next_number():
    ids = Ids()
    assert [ids.new(w) for w in ("a", "a-2", "a")] == ["a", "a-2", "a-3"]


def test_a_title_without_letters_of_ascii_still_gets_an_identifier():
    ids = Ids()
    assert [ids.new("Übersicht"), ids.new("表"), ids.new("")] == ["ubersicht", "part", "part-2"]
