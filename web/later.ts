/**
 * Parts of the page that come after the first ones, each in a file of its own: when they are wanted, and ahead of that
 * once the browser has nothing to do, so that a click needs no request for code.
 */
import type { QueryClient } from "@tanstack/react-query";
import { type ComponentType, type ExoticComponent, lazy } from "react";

type Part<Component> = ExoticComponent<Component extends ComponentType<infer Props> ? Props : never>;

/** Comes when it is wanted, and not ahead of that: most readers never see it, or the page asks for it at once. */
export const onDemand = <Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) =>
  lazy(async () => toPart(await load(), name)) as Part<Module[Name]>;

const waiting: (() => Promise<unknown>)[] = [];

/** What was loaded ahead is drawn at once, without the skeleton that `lazy` shows for any promise. */
export function later<Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name): Part<Module[Name]> {
  let loaded: Loaded | null = null;
  const ahead = async (): Promise<Loaded> => (loaded = toPart(await load(), name));
  waiting.push(ahead);
  return lazy(() => (loaded === null ? ahead() : toKnown(loaded))) as Part<Module[Name]>;
}

interface Loaded {
  readonly default: ComponentType;
}

const toPart = <Module>(module: Module, name: keyof Module): Loaded => ({ default: module[name] as ComponentType });

/** A promise that calls back at once, which `lazy` allows. */
function toKnown<Value>(value: Value): Promise<Value> {
  // oxlint-disable-next-line unicorn/no-thenable
  const known = { then: (resolve: (value: Value) => void) => resolve(value) };
  return known as Promise<Value>;
}

/** Guess: the page of somebody who has begun to read. */
const QUIET_MS = 1_500;

/**
 * Loads them one after another once no answer has been on its way for a while, until the returned function is called.
 * Not where somebody has asked the browser to save data. Whatever does not come is asked for again when it is wanted.
 */
export function loadAhead(client: QueryClient): () => void {
  if (savesData()) return () => {};
  let timer: ReturnType<typeof setTimeout>;
  const next = async (): Promise<void> => {
    if (client.isFetching() === 0)
      await waiting
        .shift()?.()
        .catch(() => undefined);
    if (waiting.length > 0) plan();
  };
  const plan = (): void => {
    timer = setTimeout(() => void next(), client.isFetching() === 0 ? 0 : QUIET_MS);
  };
  timer = setTimeout(plan, QUIET_MS);
  return () => clearTimeout(timer);
}

/** Chromium alone tells. */
const savesData = (): boolean =>
  (navigator as { readonly connection?: { readonly saveData?: boolean } }).connection?.saveData === true;
