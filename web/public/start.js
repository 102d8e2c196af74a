/**
 * What cannot wait for the application's scripts. It stands outside the bundle because a module would come too late,
 * and in a file because the page's policy forbids inline script.
 */

/**
 * One page alone, or with tabs, for a frame in the product's own (web/embed.ts): the sign-in link says which, and how
 * they look. Kept for this tab, or this frame: a page that is loaded again is still alone. Frames of one tab share what
 * is kept, so each keeps under its name: its product's, or that of its page.
 */
try {
  const link = new URLSearchParams(location.search);
  if (/\/sign-in\/[^/]+$/.test(location.pathname)) {
    const [page, tabs] = [link.get("embed"), link.getAll("tab")];
    for (const name of ["embed", "tab"]) link.delete(name);
    if (window.parent !== window && /^(?:$|bellwire:)/.test(window.name)) window.name = `bellwire:${page ?? ""}`;
    if (page === null) sessionStorage.removeItem(embedKey());
    else sessionStorage.setItem(embedKey(), JSON.stringify({ page, tabs, look: link.toString() }));
  }
} catch {
  // Storage may be forbidden; then the whole dashboard is shown.
}

function embedKey() {
  return `bellwire.embed.${window.name}`;
}

/** Applies the colour scheme that was chosen in this browser, before anything is painted (web/browser-settings.ts). */
try {
  const { page, tabs = [], look } = JSON.parse(sessionStorage.getItem(embedKey()) ?? "{}");
  const tokens = new URLSearchParams(look);
  if (typeof page === "string") {
    document.documentElement.dataset.embed = page;
    document.documentElement.dataset.tabs = tabs.join(" ");
    if ([...tokens.keys()].some((name) => name !== "theme")) addLook(tokens);
  }
  const choice = tokens.get("theme") ?? localStorage.getItem("bellwire.theme");
  if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
} catch {
  // Storage may be forbidden; the system's scheme is right then.
}

/** The service makes the sheet of the tokens, which it checks: anybody can write a link (pages/look-styles.ts). */
function addLook(tokens) {
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.setAttribute("blocking", "render");
  sheet.href = new URL(`look.css?${tokens}`, document.baseURI).href;
  document.head.append(sheet);
}

/**
 * Asks the page's first questions while its scripts are on their way: who is signed in, and where that is somebody,
 * what the address's list needs. web/api.ts takes the answers over. The service writes the questions into the document
 * (src/dashboard/pages/static.ts); a query in the address makes others of them.
 */
const asked = new Map();
window.bellwireAsked = asked;
const [session, ...others] = document.documentElement.dataset.asks?.split(" ") ?? [];

function ask(path) {
  const address = new URL(`dashboard/${path}`, document.baseURI).href;
  const options = { headers: { accept: "application/json" }, redirect: "error", cache: "no-store" };
  // In place of web/api.ts, which is on its way.
  // oxlint-disable-next-line no-restricted-globals
  const answer = fetch(address, options).then((response) => ({ response, atMs: Date.now() }));
  asked.set(address, answer);
  return answer;
}

if (session !== undefined) {
  ask(session).then(
    ({ response }) => {
      // The document may not have been read as far as the frame: still.css hides it.
      if (!response.ok) document.documentElement.dataset.refused = "";
      else if (location.search === "" && !location.hash.startsWith("#q=")) for (const each of others) void ask(each);
    },
    // The application says what is the matter.
    () => undefined,
  );
}
