/** The page's start: puts the application (app.tsx) into the document. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { watchBack } from "./back-guard.ts";
import { EMBEDDED_PAGE, IS_FRAMED } from "./embed.ts";
import { hideWords } from "./hidden-words.ts";
import "./styles.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element with the id root");
watchBack();
// An older link, or one that somebody wrote, has them in its query.
history.replaceState(history.state, "", hideWords(location.href));
// What index.html drew stays until the application draws something itself. An observer is called before the paint.
new MutationObserver((_, observer) => {
  document.getElementById("still")?.remove();
  observer.disconnect();
}).observe(root, { childList: true });
if (IS_FRAMED && EMBEDDED_PAGE !== null)
  void import("./frame-height.ts").then(({ fitIntoParent }) => fitIntoParent(root));
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
