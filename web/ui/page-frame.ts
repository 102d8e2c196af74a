/**
 * What surrounds a page and reaches into it: one level up, for what stands deep in the page and has to lead away; and a
 * notice of the whole account that stands below each page's heading.
 */
import { createContext, type ReactNode } from "react";

export interface Back {
  readonly href: string;
  readonly label: string;
}

export const PageBack = createContext<Back | undefined>(undefined);

/* A notice of the whole account that stands below each page's heading; the shell provides it. */

export const PageNotice = createContext<ReactNode>(null);
