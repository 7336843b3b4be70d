// Runs before the first paint, so that a chosen theme never flashes.
(function () {
  var root = document.documentElement;
  root.classList.add("js");
  try {
    var chosen = localStorage.getItem("kernelcup-theme");
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  } catch (error) {
    root.dataset.storage = "none";
  }
})();
