// Light or dark, and the colours of figures: Okabe and Ito's, which colour-blind readers can tell apart.

const darkScheme = window.matchMedia("(prefers-color-scheme: dark)");
const themeListeners = [];
let printing = false;

const storage = {  // a page from a file may have none
  get() { try { return localStorage.getItem("kumiko-theme"); } catch { return null; } },
  set(value) { try { localStorage.setItem("kumiko-theme", value); } catch { /* not kept */ } },
};

function isDark() {
  if (printing) return false;
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : darkScheme.matches;
}

// In each order the colours with the best contrast to the page come first.
const categoryColours = {
  light: ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"],
  dark: ["#56B4E9", "#E69F00", "#2BBF94", "#CC79A7", "#F0E442", "#D55E00", "#FFFFFF"],
};

const bodyFont = () => getComputedStyle(document.body).fontFamily;

function colours() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  if (printing) {
    return { text: "#000000", quiet: "#333333", line: "#999999", grid: "#dddddd", panel: "#ffffff",
      page: "#ffffff", filler: "#dddddd", font: bodyFont(), categories: categoryColours.light };
  }
  return {
    text: read("--text"), quiet: read("--quiet"), line: read("--line"), grid: read("--grid"),
    panel: read("--panel"), page: read("--page"), filler: `${read("--link")}40`, font: bodyFont(),
    categories: isDark() ? categoryColours.dark : categoryColours.light,
  };
}

const category = (palette, at) => palette.categories[at % palette.categories.length];

function onThemeChange(listener) { themeListeners.push(listener); }
function announceTheme() { for (const listener of themeListeners) listener(); }

function setUpTheme(button) {
  const root = document.documentElement;
  const label = button.querySelector("span");
  const show = () => { label.textContent = isDark() ? "Light" : "Dark"; };
  const kept = storage.get();
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  show();
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    storage.set(root.dataset.theme);
    show();
    announceTheme();
  });
  darkScheme.addEventListener("change", () => { show(); announceTheme(); });
  // On paper everything is light, whatever the screen shows.
  let before;
  window.addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    root.dataset.theme = "light";
    printing = true;
    announceTheme();
  });
  window.addEventListener("afterprint", () => {
    if (before) root.dataset.theme = before; else delete root.dataset.theme;
    printing = false;
    announceTheme();
  });
}
