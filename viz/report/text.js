// Elements, numbers as texts, and files for the reader.

/** An element with attributes (a function: a listener) and children; null children are left out. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== ""));
  return element;
}

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** Five significant digits; far from 1 with an exponent. */
function numberText(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) return value.toExponential(4).replace("e+", "e");
  return String(Number(value.toPrecision(5)));
}

function secondsText(seconds) {
  const size = Math.abs(seconds);
  if (size === 0 || size >= 1) return `${numberText(seconds)} s`;
  if (size >= 1e-3) return `${Number((seconds * 1e3).toPrecision(4))} ms`;
  return `${Number((seconds * 1e6).toPrecision(4))} µs`;
}

const microsecondsText = (value) => secondsText(value * 1e-6);

function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  let value = bytes;
  for (; value >= 1024 && at + 1 < units.length; ++at) value /= 1024;
  return `${Number(value.toPrecision(4))} ${units[at]}`;
}

/** A value of the headline table by its format. */
function valueText(value, format) {
  if (value === null || value === undefined) return "–";
  if (format === "list") return value.map((each) => grouped.format(each)).join(", ");
  if (!isNumber(value)) return String(value);
  switch (format) {
    case "count": return grouped.format(value);
    case "seconds": return secondsText(value);
    case "percent": return `${Number((value * 100).toPrecision(4))} %`;
    case "bytes": return bytesText(value);
    default: return numberText(value);
  }
}

const csvField = (value) => {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const csvText = (rows) => rows.map((row) => row.map(csvField).join(",") + "\n").join("");

/** Of what is one run's; with several runs on the page its name tells the files apart. */
const fileName = (what, run) => report.runs.length > 1
  ? `${what}-${run.name.replace(/[^\p{L}\p{N}._-]+/gu, "_")}` : what;

/** A link that hands out rows as a CSV file; they are made when they are asked for. */
function csvLink(name, makeRows) {
  const link = el("a", { href: "#", class: "csv", download: `${name}.csv` }, "Numbers as CSV");
  link.addEventListener("click", () => {
    const blob = new Blob([csvText(makeRows())], { type: "text/csv" });
    const address = URL.createObjectURL(blob);
    link.href = address;
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  });
  return link;
}

const note = (text) => el("p", { class: "note" }, text);
