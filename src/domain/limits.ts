/**
 * Every maximum of the product that a user can meet, in one place and with its unit in the name. A maximum that belongs
 * to the inner workings of one part stands at the head of that part.
 */
import { daysMs, hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";

/** Those that the page checks while somebody types, too. */
export const FORM_LIMITS = {
  urlCharsMax: 2_048,
  customHeadersMax: 20,
  headerNameCharsMax: 128,
  headerValueCharsMax: 4_096,
  alertsPerAccountMax: 500,
  alertNameCharsMax: 200,
  webhookNameCharsMax: 200,
  /** For one webhook. */
  conditionsMax: 20,
  conditionFieldCharsMax: 300,
  conditionValueCharsMax: 512,
  ratePerSecondMin: 0.1,
  ratePerSecondMax: 1_000,
  replayRatePerSecondMax: 1_000,
  /** Of a webhook's body, as its owner writes it. */
  templateBytesMax: 16 * 1024,
  templatePlaceholdersMax: 200,
  templateLevelsMax: 32,
  /** Deliveries that a person can select and have sent at once. Guess: four pages of the log. */
  selectionMax: 200,
  /** Of one webhook. Guess, like the next one: more are not read at a glance. */
  tagsMax: 10,
  tagCharsMax: 40,
  /** Of the log. Guess: a list that somebody can look through. */
  viewsMax: 30,
  viewNameCharsMax: 60,
  attemptDeadlineMs: secondsMs(15),
} as const;

export const LIMITS = {
  ...FORM_LIMITS,
  customHeaderBytesMax: 16 * 1024,
  clientIdCharsMax: 1_024,
  clientSecretCharsMax: 4_096,
  scopeCharsMax: 2_048,
  audienceCharsMax: 2_048,
  /** Guess, like the next one: a chain of five certificates with RSA keys has 8 to 10 KiB. */
  certificateCharsMax: 16 * 1024,
  certificateKeyCharsMax: 8 * 1024,
  /** Guess, far above any team: one webhook can get every type. */
  webhooksPerAccountMax: 100,
  /** Chat assistants with a webhook. Guess: whatever changes one reads the account, which takes 0.1 s with so many. */
  assistantWebhooksPerAccountMax: 2_000,
  /** Guess: more come from a list somewhere else, which changes without anybody coming here. */
  conditionValuesMax: 100,
  /** All are frozen in one transaction, in which nothing else commits: 2 to 3 µs each on SQLite (measured). */
  replayDeliveriesMax: 100_000,
  /** Deliveries that "all that match" selects in the log. Guess: more are sent again at a rate, by a replay. */
  matchingMax: 1_000,
  recordBytesMax: 1024 * 1024,
  /** Of a body that is made of an event: a chat message or a template's. */
  madeBodyBytesMax: 256 * 1024,
  batchRecordsMax: 1_000,
  batchBytesMax: 8 * 1024 * 1024,
  /** The time for which a record of the inbox waits for its account to be created. */
  inboxAccountWaitMs: hoursMs(1),
  /** The number of tries for a record of the inbox that fails because of a fault of ours. */
  inboxTriesMax: 10,
  /** The kept part of a receiver's answer; a longer answer is cut, and the cut is marked. */
  responseBytesMax: 16 * 1024,
  connectDeadlineMs: secondsMs(5),
  /** The part of an attempt's deadline that fetching an access token may take. */
  tokenDeadlineMs: secondsMs(5),
  retryAfterMsMax: hoursMs(24),
  failureMailAddressesMax: 10,
  confirmLinkMs: daysMs(3),
  /** Guess, like the next three: enough to set up a team, too little to trouble strangers with. */
  confirmEmailsOfAccountDayMax: 20,
  /** For all accounts together. */
  confirmEmailsOfMailboxDayMax: 5,
  /** For one account and one mailbox. */
  confirmEmailsOfBothDayMax: 3,
  confirmEmailGapMs: minutesMs(5),
  /** The time between two digests to one address of an account. */
  emailGapMs: minutesMs(15),
  /** Guess, above any team: mail has the same. */
  newsChannelsMax: 10,
  channelNameCharsMax: 80,
  /** The time between two digests to one channel. Shorter than for mail: a channel is read as it comes. */
  channelGapMs: minutesMs(1),
  /** Guess: enough for the slowest release of a receiver; a secret that is known to be replaced should not linger. */
  secretOverlapMsMax: daysMs(30),
  signInLinkMs: minutesMs(5),
  sessionMs: daysMs(7),
  sessionIdleMs: hoursMs(12),
  /** Guess, above any team. The browsers that are signed in to an account. */
  sessionsPerAccountMax: 500,
  waitWhileOffMs: daysMs(14),
  /** Guess, above any team: of an account, and of all accounts together as many again. */
  readKeysMax: 20,
  readKeyNameCharsMax: 80,
  /** Of one read key, on each node. Guess, like the next one: a program that asks one by one never meets it. */
  readCallsAtOnceMax: 4,
  readCallsPerSecondMax: 50,
  /** The same of one pull token: questions that do not wait, and all of them. */
  pullCallsAtOnceMax: 4,
  pullCallsPerSecondMax: 50,
} as const;
