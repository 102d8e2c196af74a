/** "12 new · Show": rows that have come while somebody reads, held back until they are asked for. */
import { ArrowUp } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { number } from "../../words.ts";
import type { News } from "./use-delivery-list.ts";

interface Props {
  readonly news: News | null;
  readonly onShow: () => void;
}

export function NewRows({ news, onShow }: Props) {
  return (
    // It is there before its first word, or readers of the screen would not hear of it. It takes no room, or the rows
    // would move for it.
    <div role="status" className="sticky top-16 z-10 flex h-0 items-start justify-center sm:top-24 md:top-10">
      {news !== null && (
        <div
          className="my-2 flex items-center gap-2 rounded-full border border-line bg-raised py-1 pr-1 pl-3.5
            shadow-popup"
        >
          <span>
            {number(news.count)}
            {news.isCapped && "+"} new
          </span>
          <Button size="sm" tone="primary" icon={<ArrowUp />} onClick={onShow} className="rounded-full!">
            Show
          </Button>
        </div>
      )}
    </div>
  );
}
