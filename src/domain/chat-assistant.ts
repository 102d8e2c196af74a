/** A chat assistant of the product. It is known from the moment the product names it, with or without a webhook. */
export interface ChatAssistant {
  /** The product's own id for it; unique within its account. */
  readonly id: string;
  readonly name: string;
}
