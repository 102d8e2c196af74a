/** The brokers that a bridge can consume from. A new one is a file that makes a `Source`, and a row here. */
import type { Broker } from "./port.ts";

export const BROKERS: Readonly<Record<string, Broker>> = {};
