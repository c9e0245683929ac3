import type { Logger } from "../log/logger.ts";
import type { AdmissionContext, AdmissionRequest } from "../webhook/webhooks.ts";

/** A webhook's context in a test, with the warnings that it returned. */
export interface TestAdmissionContext extends AdmissionContext {
  readonly warnings: readonly string[];
}

const silent: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silent,
  isEnabled: () => false,
};

/**
 * Creates a context for calling a `Defaulter` or `Validator`, as for a user's `kubectl create`. The fields of the
 * request can be set.
 */
export function admissionContext(request: Partial<AdmissionRequest> = {}): TestAdmissionContext {
  const warnings: string[] = [];
  return {
    warnings,
    warn: (text) => void warnings.push(text),
    log: silent,
    signal: new AbortController().signal,
    request: {
      uid: "00000000-0000-4000-8000-000000000000",
      operation: "CREATE",
      kind: { group: "example.com", version: "v1", kind: "Example" },
      resource: { group: "example.com", version: "v1", resource: "examples" },
      name: "example",
      namespace: "default",
      userInfo: { username: "test-user", groups: ["system:authenticated"] },
      ...request,
    },
  };
}
