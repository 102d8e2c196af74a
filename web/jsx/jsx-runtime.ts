/** The calls that the compiler makes of JSX in the built page (`jsxImportSource` in vite.config.ts). */
import type { ElementType, Key, ReactElement } from "react";
import * as react from "react/jsx-runtime";
import { withTextAlone } from "./text-alone.ts";

export { Fragment, type JSX } from "react/jsx-runtime";

export const jsx = (type: ElementType, props: object, key?: Key): ReactElement =>
  react.jsx(type, withTextAlone(type, props), key);

export const jsxs = (type: ElementType, props: object, key?: Key): ReactElement =>
  react.jsxs(type, withTextAlone(type, props), key);
