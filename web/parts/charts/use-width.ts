/** How wide an element is, kept up to date: charts are drawn in real pixels, so that their text is never scaled. */
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

const FIRST_PX = 560;

export function useWidth(): [element: RefObject<HTMLDivElement | null>, width: number] {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_PX);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? FIRST_PX)));
    observer.observe(current);
    setWidth(Math.floor(current.getBoundingClientRect().width));
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
