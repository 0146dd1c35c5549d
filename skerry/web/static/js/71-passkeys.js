// Passkeys: a button with data-passkey, the address of what the browser needs, fills the hidden field of its form with the
// answer of an authenticator, then sends the form. The server refuses what is wrong, and says why.
const { onPage, tell, root } = window.skerry;
// A browser has none without HTTPS, nor at an address that is a number.
const works = Boolean(window.PublicKeyCredential) && !/^[\d.]+$|^\[/.test(location.hostname);
// Challenges are valid for ten minutes.
const RENEWED = 9 * 60_000;

const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

// What older browsers do not do by themselves.
const read = (options, name) => {
  if (PublicKeyCredential[name]) return PublicKeyCredential[name](options);
  const opened = (each) => ({ ...each, id: bytes(each.id) });
  const { challenge, user, excludeCredentials = [] } = options;
  return { ...options, challenge: bytes(challenge), user: user && opened(user), excludeCredentials: excludeCredentials.map(opened) };
};
const written = (credential) => {
  if (credential.toJSON) return JSON.stringify(credential);
  const { id, type, response } = credential;
  const said = { transports: response.getTransports?.() };
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) if (response[name]) said[name] = text(response[name]);
  return JSON.stringify({ id, rawId: id, type, response: said });
};

// What a passkey answers. Without options, the server refuses the form, and says why.
const answered = async (address, how) => {
  const answer = await fetch(root + address, { headers: { Accept: "application/json" } });
  if (!answer.ok) return "-";
  const found = await answer.json();
  const asked = found.passkey
    ? navigator.credentials.create({ publicKey: read(JSON.parse(found.passkey.options), "parseCreationOptionsFromJSON"), ...how })
    : navigator.credentials.get({ publicKey: read(found, "parseRequestOptionsFromJSON"), ...how });
  return written(await asked);
};
const send = (button, answer) => {
  button.form.querySelector("input[name^=passkey]").value = answer;
  button.form.requestSubmit(button);
};

// One question at a time. That of a button ends that of the field, where browsers offer passkeys among other entries.
let asking = null;
const begin = () => {
  asking?.abort();
  return (asking = new AbortController());
};
const offer = async (button) => {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  const own = begin();
  const isCurrent = () => own === asking && button.isConnected;
  setTimeout(() => isCurrent() && offer(button), RENEWED);
  try {
    const answer = await answered(button.dataset.passkey, { mediation: "conditional", signal: own.signal });
    if (isCurrent() && answer !== "-") send(button, answer);
  } catch {
    // Nobody chose one.
  }
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("button[data-passkey]");
  if (!button) return;
  event.preventDefault();
  if (!button.formNoValidate && !button.form.reportValidity()) return;
  const own = begin();
  try {
    send(button, await answered(button.dataset.passkey, { signal: own.signal }));
  } catch ({ name }) {
    if (own === asking) tell((name === "InvalidStateError" && button.dataset.known) || button.dataset.fails);
  }
});

onPage("button[data-passkey]", (button) => {
  if (!works) return;
  button.closest("[hidden]").hidden = false;
  if (button.formNoValidate) offer(button);
});
onPage("[data-no-passkeys]", (sentence) => {
  sentence.hidden = works;
});
