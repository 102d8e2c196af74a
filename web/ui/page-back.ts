/** One level up from the page: for what stands deep in it and has to lead away, such as something that is not there. */
import { createContext } from "react";

export interface Back {
  readonly href: string;
  readonly label: string;
}

export const PageBack = createContext<Back | undefined>(undefined);
