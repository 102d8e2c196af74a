/**
 * The frame as index.html draws it while scripts are on their way: the same links, and the shape of a page. Rendered by
 * the build (still-plugin.ts), and taken away when the application draws something itself (main.tsx).
 */
import { renderToStaticMarkup } from "react-dom/server";
import { Router } from "wouter";
import { PageSkeleton } from "../ui/skeleton.tsx";
import { Frame } from "./frame.tsx";

/** HTML whose links are relative, because the service may be served below any path; it marks the one that is open. */
export function renderStill(): string {
  const html = renderToStaticMarkup(
    <Router ssrPath="/nowhere">
      <Frame head={null} foot={null} bar={null}>
        <PageSkeleton />
      </Frame>
    </Router>,
  );
  return html.replaceAll(/href="\/([^"]*)"/g, (_, path: string) => `href="${path === "" ? "./" : path}"`);
}
