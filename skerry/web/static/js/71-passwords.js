// What a new password lacks, while it is typed. The server asks for the same, and also knows common passwords.
const { onPage } = window.skerry;
const ROWS = ["qwertyuiop", "qwertzuiopü", "asdfghjklöä", "zxcvbnm", "yxcvbnm", "1234567890", "azertyuiop"];
const BREAKS = 3, LEFT = 4, PAUSE = 300;
const pairs = (text) => [...text].slice(1).map((each, at) => [[...text][at], each]);
const NEXT = new Set(ROWS.flatMap((row) => pairs(row).flatMap(([one, other]) => [one + other, other + one])));
const isNear = ([one, other]) => Math.abs(one.codePointAt(0) - other.codePointAt(0)) < 2 || NEXT.has(one + other);
const isRepeated = (text) => [...Array(text.length >> 1).keys()].some((at) => text.startsWith(text.slice(at + 1)));
const lettersOf = (text) => text.replace(/[^\p{L}\p{N}]+/gu, "");
const saysLittle = (text, known) => {
  let left = lettersOf(text), has = false;
  for (const said of known) {
    const [name, host = ""] = said.split("@", 2);
    const words = [said, name, ...host.split("."), ...name.split(/[^\p{L}\p{N}_]+/u)].map(lettersOf);
    for (const word of words.sort((one, other) => other.length - one.length)) {
      if (word.length < LEFT - 1 || !left.includes(word)) continue;
      left = left.replaceAll(word, "");
      has = true;
    }
  }
  return has && left.length < LEFT;
};
const lackOf = (password, least, known) => {
  const text = password.normalize("NFC").toLowerCase();
  if ([...text].length < least) return "short";
  if (isRepeated(text)) return "repeated";
  if (pairs(text).filter((pair) => !isNear(pair)).length + 1 < BREAKS) return "sequence";
  return saysLittle(text, known.map((each) => each.toLowerCase())) ? "known" : "good";
};

onPage("[data-strength]", (said) => {
  const field = document.getElementById(said.dataset.strength);
  const known = () => [...said.dataset.of.split("\n"), ...[...field.form.querySelectorAll("[autocomplete=username], [autocomplete=name]")].map((each) => each.value)];
  let later;
  const show = () => {
    const lack = field.value && lackOf(field.value, field.minLength, known());
    said.className = `hint strength ${lack}`;
    said.textContent = lack && said.dataset[lack].replace("{0}", [...field.value.normalize("NFC")].length);
  };
  // Not at every key, because each change is read aloud.
  field.addEventListener("input", () => {
    clearTimeout(later);
    later = setTimeout(show, PAUSE);
  });
});
