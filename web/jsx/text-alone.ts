/**
 * Text stands alone in its element: what JSX makes here has no text node beside another node.
 *
 * A browser's translator, and many an extension, puts nodes of its own in the place of a text node. React goes on
 * writing to the one that it made, which nobody sees any more, and throws where it has to remove it or to put something
 * before it (https://github.com/facebook/react/issues/11538). An element that holds nothing but text has neither
 * fault: React replaces all that is in it, and moves and removes the element, which translators leave in its place.
 *
 * The known patches of `removeChild` and `insertBefore` end the error alone: the old text stays on the screen for good.
 */
import { Fragment, type ReactNode } from "react";
import { jsx } from "react/jsx-runtime";

interface Props {
  readonly children?: ReactNode;
}

export function withTextAlone(type: unknown, given: Props): Props {
  // Ids, secrets and JSON: a translator would change what readers compare and copy.
  const props = type === "code" || type === "pre" ? { translate: "no", ...given } : given;
  const { children } = props;
  // The element around a fragment is not known here, nor what else that one holds.
  if (type === Fragment && isText(children)) return { ...props, children: inSpan(children) };
  if (!Array.isArray(children)) return props;
  const parted = part(children as readonly ReactNode[]);
  const isSole = type !== Fragment && parted.every((child) => isNothing(child) || isText(child));
  // Nothing at all stays what it is: it has no text to part.
  const alone = isSole ? (parted.find(isText) ?? children) : parted.map(inSpanIfText);
  return { ...props, children: alone };
}

/** Texts that follow each other become one. Everything else keeps its place, by which React knows it again. */
function part(children: readonly ReactNode[]): ReactNode[] {
  const parted = [...children];
  let from = -1;
  let text = "";
  for (const [place, child] of children.entries()) {
    if (isText(child)) {
      if (from === -1) from = place;
      text += child;
      parted[place] = null;
      parted[from] = text;
    } else if (!isNothing(child)) {
      from = -1;
      text = "";
      if (Array.isArray(child)) parted[place] = part(child as readonly ReactNode[]).map(inSpanIfText);
    }
  }
  return parted;
}

const inSpanIfText = (child: ReactNode, place: number): ReactNode => (isText(child) ? inSpan(child, place) : child);

const inSpan = (text: string | number | bigint, place?: number): ReactNode => jsx("span", { children: text }, place);

const isText = (child: ReactNode): child is string | number | bigint =>
  typeof child === "number" || typeof child === "bigint" || (typeof child === "string" && child !== "");

const isNothing = (child: ReactNode): boolean =>
  child === null || child === undefined || child === "" || typeof child === "boolean";
