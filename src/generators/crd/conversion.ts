import type { KindVersion } from "./find-kinds.ts";

/** The `conversion` stanza of a CRD with a conversion webhook. */
export function conversionOf(kinds: readonly KindVersion[]): object | undefined {
  const marker = kinds.flatMap(({ markers }) => markers).find(({ name }) => name === "tsbuilder:conversion");
  if (!marker) return undefined;
  const { args } = marker;
  const reviews = (args["reviewVersions"] ?? []) as readonly string[];
  return {
    strategy: "Webhook",
    webhook: {
      clientConfig: {
        service: {
          name: args["service"] ?? "webhook-service",
          namespace: args["namespace"] ?? "system",
          path: args["path"] ?? "/convert",
          port: args["port"],
        },
      },
      conversionReviewVersions: reviews.length > 0 ? reviews : ["v1"],
    },
  };
}
