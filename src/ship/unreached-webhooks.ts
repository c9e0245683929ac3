import { isCrd, type ManifestObject } from "./manifest.ts";

/** Returns whether the API server calls a deployment's operator. */
export function hasWebhooks(deployed: readonly ManifestObject[]): boolean {
  return admissionWebhooks(deployed).length > 0 || convertedGroups(deployed).length > 0;
}

/** Returns those of kubectl's error lines that say that the API server could not call a webhook of the deployment. */
export function unreachedWebhooks(errors: string, deployed: readonly ManifestObject[]): string[] {
  const names = new Set(admissionWebhooks(deployed));
  const groups = new Set(convertedGroups(deployed));
  return errors.split("\n").filter((line) => {
    const name = /failed calling webhook "([^"]+)"/.exec(line)?.[1];
    const group = /conversion webhook for ([^/\s]+)\/\S+ Kind=\S+ failed/.exec(line)?.[1];
    return (name !== undefined && names.has(name)) || (group !== undefined && groups.has(group));
  });
}

function admissionWebhooks(deployed: readonly ManifestObject[]): string[] {
  return deployed
    .filter(({ kind }) => /^(Mutating|Validating)WebhookConfiguration$/.test(kind))
    .flatMap((object) => (object["webhooks"] ?? []) as readonly { readonly name: string }[])
    .map(({ name }) => name);
}

function convertedGroups(deployed: readonly ManifestObject[]): string[] {
  return deployed
    .filter(isCrd)
    .map(
      ({ spec }) => spec as { readonly group: string; readonly conversion?: { readonly strategy: string } },
    )
    .filter(({ conversion }) => conversion?.strategy === "Webhook")
    .map(({ group }) => group);
}
