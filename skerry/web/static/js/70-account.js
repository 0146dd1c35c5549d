// A secret that is shown once is selected as soon as somebody goes there, ready to be copied.
document.querySelectorAll("input[data-copy]").forEach((field) => field.addEventListener("focus", () => field.select()));
