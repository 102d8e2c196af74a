/** A notice of the whole account that stands below each page's heading; the shell provides it. */
import { type ReactNode, createContext } from "react";

export const PageNotice = createContext<ReactNode>(null);
