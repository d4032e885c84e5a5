"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, within) => [...(within || document).querySelectorAll(selector)];

  // Light and dark theme.
  const theme = document.getElementById("theme");
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches);
  const nameTheme = () => { theme.textContent = isDark() ? "Light colours" : "Dark colours"; };
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });
  systemDark.addEventListener("change", nameTheme);
  nameTheme();
  theme.hidden = false;

  // Printed pages show all details.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    closed.forEach((part) => { part.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((part) => { part.open = false; }));

  // Only tables that scroll can be reached with the Tab key.
  const widths = new ResizeObserver((changes) => changes.forEach(({ target }) => {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }));
  all(".scroll").forEach((part) => widths.observe(part));

  // The frontier.
  const data = JSON.parse(document.getElementById("data").textContent);
  const chart = document.getElementById("chart");
  if (!data || !chart) return;
  const plot = chart.querySelector(".plot");
  const tip = document.getElementById("tip");
  const status = document.getElementById("status");
  const buttons = all("button.point", chart);
  const drawn = buttons.map((button) => Number(button.dataset.point));
  const rows = all("button.row");
  const download = document.getElementById("download");
  const missing = document.getElementById("missing");
  const fairer = document.getElementById("fairer");
  const cheaper = document.getElementById("cheaper");
  let selected = data.chosen;

  const fill = (selector, values) => {
    all(selector).forEach((cell, i) => { cell.textContent = values[i]; });
  };
  const place = (mark, at) => {
    mark.hidden = !at;
    if (at) { mark.style.left = at[0] + "%"; mark.style.bottom = at[1] + "%"; }
  };
  const line = (id, ends) => {
    ["x1", "y1", "x2", "y2"].forEach((name, i) => {
      document.getElementById(id).setAttribute(name, ends[i]);
    });
  };

  // The parts of a model are compressed JSON: their HTML by name.
  const unpack = async (packed) => {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };
  const replace = (part, html) => {
    const open = all("details", part).map((details) => details.open);
    part.innerHTML = html;
    all("details", part).forEach((details, i) => { details.open = Boolean(open[i]); });
    all(".scroll", part).forEach((table) => widths.observe(table));
  };
  const stale = document.getElementById("stale");
  let shown = data.chosen;  // the model whose parts are on the page
  root.dataset.shown = shown;

  async function showParts(number) {
    let parts = null;
    try { parts = data.details[number] && await unpack(data.details[number]); } catch (error) {
      parts = null;  // an old browser
    }
    if (number !== selected) return;  // another one was picked meanwhile
    if (parts) {
      for (const [name, html] of Object.entries(parts)) {
        all(`[data-part="${name}"]`).forEach((part) => replace(part, html));
      }
      shown = number;
    }
    root.dataset.shown = shown;
    stale.hidden = shown === number;
    stale.textContent = stale.hidden ? "" : "The verdict and the sections below are still those of "
      + `model ${shown}: this file does not contain the details of model ${number}, to stay small.`;
    if (!stale.hidden) status.textContent += " " + stale.textContent;
  }

  function select(number, announce) {
    const [label, measures, facts, ends, others, mark] = data.points[number];
    selected = number;
    all(".model-name").forEach((part) => { part.textContent = "model " + number; });
    fill("[data-measure]", measures.flat());
    fill("[data-fact]", facts);
    buttons.forEach((button, i) => {
      button.setAttribute("aria-pressed", String(drawn[i] === number));
      button.tabIndex = drawn[i] === number ? 0 : -1;
    });
    rows.forEach((button) => {
      button.setAttribute("aria-pressed", String(Number(button.dataset.row) === number));
    });
    [fairer, cheaper].forEach((button, i) => {
      const atEnd = number === [0, data.points.length - 1][i];
      if (atEnd && document.activeElement === button) [cheaper, fairer][i].focus();
      button.disabled = atEnd;
    });
    if (mark) {
      line("across", [ends[0], 100 - mark[1], ends[1], 100 - mark[1]]);
      line("upright", [mark[0], 100 - ends[2], mark[0], 100 - ends[3]]);
    }
    all(".other", chart).forEach((shape, i) => place(shape, others[i]));
    if (download) {
      download.hidden = data.models[number] === null;
      missing.hidden = !download.hidden;
    }
    if (number !== shown || !stale.hidden) showParts(number);
    if (announce) status.textContent = label + ". Selected.";
  }

  function show(number) {
    const mark = number === null ? null : data.points[number][5];
    buttons.forEach((button, i) => button.classList.toggle("near", drawn[i] === number));
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = data.points[number][0];
    const half = tip.offsetWidth / 2, width = chart.clientWidth;
    const x = (mark[0] / 100) * width;
    tip.style.left = Math.min(Math.max(x, half - 40), Math.max(width - half, half - 40)) + "px";
    tip.style.top = 100 - mark[1] + "%";
  }

  const distances = (event) => {
    const box = plot.getBoundingClientRect();
    return data.points.map((point) => (point[5] ? Math.hypot(
      (point[5][0] / 100) * box.width - (event.clientX - box.left),
      (1 - point[5][1] / 100) * box.height - (event.clientY - box.top),
    ) : Infinity));
  };
  const nearest = (event) => {
    const all = distances(event), least = Math.min(...all);
    return least < 44 ? all.indexOf(least) : null;
  };
  // Of points that overlap, the next one after the selected one.
  const picked = (event) => {
    const all = distances(event), least = Math.min(...all);
    if (least >= 44) return null;
    const overlapping = drawn.filter((number) => all[number] <= least + 4);
    return overlapping.includes(selected)
      ? overlapping[(overlapping.indexOf(selected) + 1) % overlapping.length]
      : all.indexOf(least);
  };
  plot.addEventListener("pointermove", (event) => show(nearest(event)));
  plot.addEventListener("pointerleave", () => show(null));
  plot.addEventListener("click", (event) => {
    const fromKey = event.detail === 0;  // Enter or Space on a button
    const number = fromKey ? Number(event.target.dataset.point) : picked(event);
    if (number === null || Number.isNaN(number)) return;
    select(number, true);
    show(number);
  });
  plot.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const here = buttons.indexOf(document.activeElement);
    let next = step === undefined ? null : here + step;
    if (event.key === "Home") next = 0;
    if (event.key === "End") next = buttons.length - 1;
    if (event.key === "Escape") show(null);
    if (next === null || here < 0 || !buttons[next]) return;
    event.preventDefault();
    buttons[next].focus();
  });
  buttons.forEach((button, i) => {
    button.disabled = false;
    button.addEventListener("focus", () => show(drawn[i]));
    button.addEventListener("blur", () => show(null));
  });
  rows.forEach((button) => {
    button.disabled = false;
    button.addEventListener("click", () => select(Number(button.dataset.row), true));
  });
  fairer.addEventListener("click", () => select(selected - 1, true));
  cheaper.addEventListener("click", () => select(selected + 1, true));
  all(".steps, .hint").forEach((part) => { part.hidden = false; });
  if (download) {
    download.addEventListener("click", () => {
      const file = new Blob([data.models[selected]], { type: "application/json" });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(file);
      link.download = "model-" + selected + ".json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
  }
  select(selected, false);
})();
