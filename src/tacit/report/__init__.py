"""One self-contained HTML page from a template and plain values, and the pictures on it.

A page is a Jinja2 template of the folder `templates`, which anyone can edit, and values: texts,
tables, pictures. It knows nothing of estimators, experiments or files. `Page.html()` is the whole
page as one text that needs neither network nor other files; it reads without JavaScript, on paper,
and by a screen reader. Pictures are matplotlib's, drawn once for pages, notebooks and files.
"""

from tacit.report._drawing import Difference as Difference
from tacit.report._drawing import Panel as Panel
from tacit.report._drawing import Series as Series
from tacit.report._drawing import Sureness as Sureness
from tacit.report._drawing import Tone as Tone
from tacit.report._drawing import add_legend as add_legend
from tacit.report._drawing import draw_curves as draw_curves
from tacit.report._drawing import draw_differences as draw_differences
from tacit.report._drawing import draw_panel as draw_panel
from tacit.report._drawing import draw_reliability as draw_reliability
from tacit.report._figures import COLOURS as COLOURS
from tacit.report._figures import PALETTE as PALETTE
from tacit.report._figures import WIDE as WIDE
from tacit.report._figures import Picture as Picture
from tacit.report._figures import inlined as inlined
from tacit.report._figures import new_figure as new_figure
from tacit.report._figures import page_picture as page_picture
from tacit.report._figures import save_figure as save_figure
from tacit.report._figures import set_log_heights as set_log_heights
from tacit.report._page import MINUS as MINUS
from tacit.report._page import Entry as Entry
from tacit.report._page import HtmlDisplay as HtmlDisplay
from tacit.report._page import Listing as Listing
from tacit.report._page import Page as Page
from tacit.report._page import check_can_write_pages as check_can_write_pages
