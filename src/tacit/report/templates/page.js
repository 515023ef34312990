"use strict";
// The page reads without this script; it adds sorting, copying, and values on hover and focus.
(() => {
  const say = (text) => { document.getElementById("status").textContent = text; };
  const make = (tag, className, text) => {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text ?? "";
    return made;
  };

  // Sorting: up, down, and back to the order given.
  const compareEntries = (numeric) => (a, b) =>
    numeric ? Number(a) - Number(b) : a.localeCompare(b, document.documentElement.lang, { numeric: true });

  const sortRows = (rows, column, numeric, direction) => {
    const compare = compareEntries(numeric);
    const key = (row) => row.cells[column].dataset.value;
    const present = rows.filter((row) => key(row) !== undefined);
    const missing = rows.filter((row) => key(row) === undefined);
    present.sort((a, b) => (direction === "ascending" ? 1 : -1) * compare(key(a), key(b)));
    return [...present, ...missing];
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const given = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const title = head.querySelector(".title");
      const name = title.textContent;
      const button = make("button", "sort");
      button.type = "button";
      title.replaceWith(button);
      const sign = make("span", "sign");
      sign.setAttribute("aria-hidden", "true");
      button.append(title, sign);
      button.addEventListener("click", () => {
        const before = head.getAttribute("aria-sort");
        const after = { ascending: "descending", descending: null }[before];
        const direction = after === undefined ? "ascending" : after;
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        if (direction === null) {
          body.append(...given);
          say("Rows are in the order given.");
          return;
        }
        head.setAttribute("aria-sort", direction);
        body.append(...sortRows(given, column, head.dataset.sort === "number", direction));
        say(`Rows are sorted by ${name}, ${direction}.`);
      });
    });
  }

  // Copying.
  const copy = async (code) => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      return true;
    } catch {
      // Without leave to use the clipboard, the text is marked, so that one key copies it.
      getSelection().selectAllChildren(code);
      return document.execCommand("copy");
    }
  };

  for (const figure of document.querySelectorAll("figure.code")) {
    const button = make("button", "copy", "Copy");
    button.type = "button";
    figure.querySelector("figcaption").append(button);
    button.addEventListener("click", async () => {
      const done = await copy(figure.querySelector("code"));
      button.textContent = done ? "Copied" : "Marked: now copy";
      say(button.textContent);
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }

  // Curves: one stop for each row of the numbers. Pointing or focus tells them; arrows move on.
  const inWords = (row, titles) => [...row.cells].map((cell, k) => {
    const [value, interval] = [...cell.childNodes].map((node) => node.textContent);
    return `${titles[k]}${k ? "" : ":"} ${value}${interval ? `, ${interval}` : ""}`;
  }).join(". ");

  for (const drawing of document.querySelectorAll(".drawing:has(.stop)")) {
    const stops = [...drawing.querySelectorAll(".stop")];
    const numbers = drawing.closest("figure").querySelector("table");
    const titles = [...numbers.querySelectorAll(".title")].map((title) => title.textContent);
    const words = [...numbers.tBodies[0].rows].map((row) => inWords(row, titles));
    const hint = "Point at the picture for its numbers, or move along it with the arrow keys.";
    const readout = make("p", "readout", hint);
    readout.setAttribute("aria-hidden", "true");
    drawing.append(readout);
    drawing.querySelector("svg").setAttribute("role", "group");

    const show = (shown) => {
      stops.forEach((stop) => stop.classList.toggle("shown", stop === shown));
      readout.textContent = words[stops.indexOf(shown)] ?? hint;
    };

    stops.forEach((stop, k) => {
      stop.setAttribute("role", "img");
      stop.setAttribute("aria-label", words[k]);
      stop.setAttribute("tabindex", k === 0 ? "0" : "-1");
      stop.addEventListener("pointerenter", () => show(stop));
      stop.addEventListener("focus", () => {
        stops.forEach((other) => other.setAttribute("tabindex", other === stop ? "0" : "-1"));
        show(stop);
      });
      stop.addEventListener("blur", () => show(null));
      stop.addEventListener("keydown", (event) => {
        const last = stops.length - 1;
        const next = {
          ArrowRight: Math.min(k + 1, last), ArrowLeft: Math.max(k - 1, 0), Home: 0, End: last,
        }[event.key];
        if (next !== undefined) {
          event.preventDefault();
          stops[next].focus();
        }
      });
    });
    drawing.addEventListener("pointerleave", () => show(null));
  }

  // On paper everything is unfolded.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((details) => { details.open = true; });
  });
  addEventListener("afterprint", () => {
    folded.forEach((details) => { details.open = false; });
  });
})();
