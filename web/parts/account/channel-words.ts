/** The two kinds of channels, as people call them. */
import type { NewsChannel } from "../../../src/dashboard/contract/news-channels.ts";

export const CHANNEL_WORDS: Readonly<Record<NewsChannel["kind"], string>> = { slack: "Slack", webhook: "Webhook" };
