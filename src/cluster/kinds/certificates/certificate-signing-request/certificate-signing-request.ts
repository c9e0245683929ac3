import type { CertificateSigningRequestCondition } from "@tsbuilder/apimachinery/k8s/certificates/v1";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells/read-field.ts";
import { certificateRequestStrategy } from "./strategy.ts";

function requestCondition(object: object): string {
  const conditions = readField<CertificateSigningRequestCondition[]>(object, "status.conditions") ?? [];
  const has = (wanted: string) => conditions.some(({ type }) => type === wanted);
  const issued = readField(object, "status.certificate") !== undefined ? ",Issued" : "";
  if (has("Denied")) return `Denied${issued}`;
  if (has("Approved")) return `${has("Failed") ? "Approved,Failed" : "Approved"}${issued}`;
  return "Pending";
}

export const certificateSigningRequest: BuiltInKind = {
  resource: "certificatesigningrequests.certificates.k8s.io",
  metadataChecks: "new/new+update/new+update",
  strategy: { ...certificateRequestStrategy, statusWritesMetadata: true, validateName: () => [] },
  cells: {
    SignerName: text("spec.signerName", "<none>"),
    Requestor: text("spec.username"),
    RequestedDuration: (object) => {
      const seconds = readField<number>(object, "spec.expirationSeconds");
      return seconds === undefined ? "<none>" : `${seconds}s`;
    },
    Condition: requestCondition,
  },
  emptyObject: { spec: {}, status: {} },
  zeroValues: { spec: { request: null, signerName: "" } },
};
