import { TsbuilderError } from "../shared/errors.ts";
import { type ClusterChoice, runKubectl } from "./kubectl.ts";
import { formatManifest, type ManifestObject } from "./manifest.ts";
import { unreachedWebhooks } from "./unreached-webhooks.ts";
import type { Reason } from "./wait.ts";

/**
 * A ready pod is not enough: its node's rules for the Service and the API server's copy of the CA arrive a moment later,
 * and until then what the webhooks admit is refused. The samples are sent as a dry run: they pass all webhooks, and
 * nothing is stored.
 */
export async function checkWebhooks(
  deployed: readonly ManifestObject[],
  samples: readonly ManifestObject[],
  choice: ClusterChoice,
  seconds: number,
): Promise<Reason | undefined> {
  if (samples.length === 0) return undefined;
  const failures = unreachedWebhooks(await refusalsOf(samples, choice), deployed);
  if (failures.length === 0) return undefined;
  return async () =>
    new TsbuilderError(
      [`the API server does not reach the operator's webhooks after ${seconds} s`, ...failures].join("\n  "),
      {
        code: "TOOL_FAILED",
        hint: "the operator is available; look at the Service of its webhooks, its EndpointSlices, and network policies",
      },
    );
}

async function refusalsOf(samples: readonly ManifestObject[], choice: ClusterChoice): Promise<string> {
  try {
    const words = ["create", "--dry-run=server", "--filename", "-"];
    await runKubectl(choice, words, formatManifest(samples));
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}
