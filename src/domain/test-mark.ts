/**
 * Marks a test so that a receiver can tell it from a real event, without another field in the body: the `webhook-id` of
 * a test begins with `test_`, and a header says the same. The id is the proof, because `webhook-signature` covers it.
 * No signature covers the header, which is for people and for filters in front of the receiver.
 */
export const TEST_HEADER = "bellwire-test";

const TEST_PREFIX = "test_";

/** The `webhook-id` of a test: `test_dlv_…`. Real deliveries go out under their own id, which has another prefix. */
export const testWebhookId = (deliveryId: string): string => `${TEST_PREFIX}${deliveryId}`;

export const isTestWebhookId = (webhookId: string): boolean => webhookId.startsWith(TEST_PREFIX);

/** The id of the delivery behind this `webhook-id`, real or a test. */
export const toDeliveryId = (webhookId: string): string =>
  isTestWebhookId(webhookId) ? webhookId.slice(TEST_PREFIX.length) : webhookId;
