// Small comforts; every page works without them.
(function () {
  "use strict";
  var root = document.documentElement;

  function recall(key) {
    try { return localStorage.getItem(key); } catch (error) { return null; }
  }
  function keep(key, value) {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
    } catch (error) {
      root.dataset.storage = "none";
    }
  }

  var themes = [
    { name: "auto", sign: "◐", words: "as the system", label: "Auto" },
    { name: "light", sign: "○", words: "light", label: "Light" },
    { name: "dark", sign: "●", words: "dark", label: "Dark" },
  ];
  var themeButton = document.getElementById("theme");
  function currentTheme() {
    return Math.max(0, themes.findIndex(function (theme) { return theme.name === root.dataset.theme; }));
  }
  function showTheme() {
    var theme = themes[currentTheme()];
    var text = document.createElement("span");
    text.setAttribute("aria-hidden", "true");
    text.textContent = " " + theme.label;
    themeButton.replaceChildren(theme.sign, text);
    themeButton.setAttribute("aria-label", "Colour theme: " + theme.words);
  }
  if (themeButton) {
    showTheme();
    themeButton.addEventListener("click", function () {
      var next = themes[(currentTheme() + 1) % themes.length];
      if (next.name === "auto") delete root.dataset.theme;
      else root.dataset.theme = next.name;
      keep("kernelcup-theme", next.name === "auto" ? null : next.name);
      showTheme();
    });
  }

  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-copy]");
    if (!button || !navigator.clipboard) return;
    navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent).then(
      function () { button.textContent = "Copied"; },
      function () { button.textContent = "Select it and press Ctrl + C"; }
    ).then(function () {
      setTimeout(function () { button.textContent = "Copy"; }, 2000);
    });
  });

  // What stays open, stays open, also when the live part of a submission's page is replaced.
  var folded = {};
  document.addEventListener("htmx:beforeSwap", function () {
    document.querySelectorAll("#live details").forEach(function (item) {
      folded[item.querySelector("summary").firstChild.textContent.trim()] = item.open;
    });
  });
  document.addEventListener("htmx:afterSettle", function () {
    document.querySelectorAll("#live details").forEach(function (item) {
      var name = item.querySelector("summary").firstChild.textContent.trim();
      if (name in folded) item.open = folded[name];
    });
  });

  var form = document.querySelector("form[data-draft]");
  if (!form) return;
  var source = form.querySelector("#source");
  var file = form.querySelector("#file");
  var fileName = form.querySelector("#file_name");
  var restore = document.getElementById("restore");
  var key = "kernelcup-draft:" + form.dataset.draft;
  var given = source.value;
  var draft = recall(key);
  if (draft && draft !== given && !("keep" in form.dataset)) {
    restore.hidden = false;
    restore.addEventListener("click", function () {
      source.value = draft;
      restore.hidden = true;
      source.focus();
    });
  }
  source.addEventListener("input", function () {
    keep(key, source.value);
    restore.hidden = true;
  });
  source.addEventListener("keydown", function (event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  file.addEventListener("change", function () {
    var chosen = file.files[0];
    var tooLarge = chosen && chosen.size > Number(file.dataset.most);
    file.setCustomValidity(tooLarge ? "This file has " + chosen.size + " bytes; at most " + file.dataset.most + " are taken." : "");
    file.reportValidity();
    if (!chosen || tooLarge) return;
    chosen.arrayBuffer().then(function (bytes) {
      var text;
      try {
        text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      } catch (error) {
        return;
      }
      source.value = text;
      fileName.value = chosen.name;
      keep(key, text);
    });
  });
})();
