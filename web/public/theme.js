/**
 * Applies the colour scheme that was chosen in this browser, before anything is painted. It stands outside the bundle
 * because a module would come too late, and in a file because the page's policy forbids inline script. The name of the
 * entry is repeated in web/theme.ts.
 */
try {
  const choice = localStorage.getItem("bellwire.theme");
  if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
} catch {
  // Storage may be forbidden; the system's scheme is right then.
}
