import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { TerminalError } from "../errors/api-error.ts";
import { admitWithDefaulter, admitWithValidator } from "./admit.ts";
import { convertedKindName } from "./convert.ts";
import type { WebhookServer } from "./webhook-server.ts";
import type { Conversion, Defaulter, Validator } from "./webhooks.ts";

/** Builds the webhooks of a kind. Nothing happens before `complete`. */
export class WebhookBuilder<T extends KubernetesObject> {
  readonly #server: WebhookServer;
  readonly #kind: Kind<T>;
  readonly #steps: (() => void)[] = [];

  constructor(server: WebhookServer, kind: Kind<T>) {
    this.#server = server;
    this.#kind = kind;
  }

  /** Serves `/mutate-<group>-<version>-<kind>`, or another path. */
  defaulter(
    defaulter: Defaulter<T>,
    { path = this.#path("mutate") }: { path?: string | undefined } = {},
  ): this {
    this.#steps.push(() => this.#server.admit(path, admitWithDefaulter(defaulter, this.#server.log)));
    return this;
  }

  /** Serves `/validate-<group>-<version>-<kind>`, or another path. */
  validator(
    validator: Validator<T>,
    { path = this.#path("validate") }: { path?: string | undefined } = {},
  ): this {
    this.#steps.push(() => this.#server.admit(path, admitWithValidator(validator, this.#server.log)));
    return this;
  }

  /** Serves `/convert` with this kind as the hub. Call it once for each spoke. */
  conversion<Spoke extends KubernetesObject>(spoke: Kind<Spoke>, conversion: Conversion<T, Spoke>): this {
    this.#steps.push(() => this.#addConversion(spoke, conversion));
    return this;
  }

  /** Adds the webhooks to the manager's server. Throws a `TerminalError` if a path is already used. */
  complete(): void {
    for (const step of this.#steps) step();
  }

  #addConversion(spoke: Kind, conversion: Conversion<KubernetesObject, KubernetesObject>): void {
    const hub = this.#kind;
    if (spoke.group !== hub.group || spoke.kind !== hub.kind || spoke.version === hub.version)
      throw new TerminalError(
        `${spoke.apiVersion} ${spoke.kind} is not another version of ${hub.apiVersion} ${hub.kind}, so it can't be converted to it`,
      );
    const name = convertedKindName(hub.apiVersion, hub.kind);
    const converted = this.#server.converted.get(name) ?? { hub, spokes: new Map() };
    if (converted.hub.apiVersion !== hub.apiVersion)
      throw new TerminalError(`${hub.kind} has two hubs: ${converted.hub.apiVersion} and ${hub.apiVersion}`);
    converted.spokes.set(spoke.apiVersion, conversion);
    this.#server.converted.set(name, converted);
  }

  /** The same path as in controller-runtime, so that manifests for Go operators fit. */
  #path(verb: "mutate" | "validate"): string {
    const { group, version, kind } = this.#kind;
    return `/${verb}-${group.replaceAll(".", "-")}-${version}-${kind.toLowerCase()}`;
  }
}
