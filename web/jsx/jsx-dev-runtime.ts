/** The same as jsx-runtime.ts, for the page of `npm run dev`. */
import type { ElementType, Key, ReactElement } from "react";
import { type JSXSource, jsxDEV as reactJsxDev } from "react/jsx-dev-runtime";
import { withTextAlone } from "./text-alone.ts";

export { Fragment, type JSX } from "react/jsx-dev-runtime";

// oxlint-disable-next-line max-params -- the compiler's own list
export const jsxDEV = (
  type: ElementType,
  props: object,
  key: Key | undefined,
  isStatic: boolean,
  source?: JSXSource,
  self?: unknown,
): ReactElement => reactJsxDev(type, withTextAlone(type, props), key, isStatic, source, self);
