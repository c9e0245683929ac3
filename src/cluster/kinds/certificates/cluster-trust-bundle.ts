import { X509Certificate } from "node:crypto";
import { invalid, tooLong } from "@tsbuilder/apimachinery/errors";
import { splitPem } from "@tsbuilder/apimachinery/certs";
import type { BuiltInKind } from "../built-in-kind.ts";
import { text } from "../cells.ts";
import { checkBundleName, signerProblems } from "../checks/names.ts";
import { type Problems, immutable } from "../checks/problems.ts";
import type { SentObject } from "../../contract/api-object.ts";

type ClusterTrustBundle = SentObject<{ signerName?: string; trustBundle?: string }>;

/** The CAs that pods trust; who writes those of a signer needs its permission `attest` (admission/plugins.ts). Since 1.37. */
export const clusterTrustBundle: BuiltInKind = {
  resource: "clustertrustbundles.certificates.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: {
    validateName: (name, prefix, object) =>
      checkBundleName(name, (object as ClusterTrustBundle).spec.signerName, prefix),
    validate: (object) => [...bundleProblems(object as ClusterTrustBundle)],
    validateUpdate(object, old) {
      const [{ spec }, { spec: before }] = [object as ClusterTrustBundle, old as ClusterTrustBundle];
      return [
        ...bundleProblems(object as ClusterTrustBundle, before.trustBundle),
        ...immutable("spec.signerName", spec.signerName ?? "", before.signerName ?? ""),
      ];
    },
  },
  cells: { SignerName: text("spec.signerName", "<none>") },
};

/** Validates a bundle; the certificates that are stored are not read again. */
function* bundleProblems({ spec }: ClusterTrustBundle, stored?: string): Problems {
  const { signerName = "", trustBundle = "" } = spec;
  if (signerName !== "") yield* signerProblems("spec.signerName", signerName);
  if (trustBundle === stored) return;
  const field = "spec.trustBundle";
  if (Buffer.byteLength(trustBundle) > 2 ** 20) return yield tooLong(field, 2 ** 20);
  for (const detail of checkAnchors(trustBundle)) yield invalid(field, "<value omitted>", detail);
}

/** Returns why the blocks of a bundle are not CAs, each there once. */
function checkAnchors(bundle: string): string[] {
  const blocks = splitPem(bundle);
  const reasons = blocks.flatMap(({ type, hasHeaders, bytes }, index) => {
    if (type !== "CERTIFICATE") return `entry ${index} has bad block type: ${type}`;
    if (hasHeaders) return `entry ${index} has PEM block headers`;
    const certificate = readCertificate(bytes);
    if (!certificate) return `entry ${index} does not parse as X.509`;
    return certificate.ca ? [] : `entry ${index} does not have the CA bit set`;
  });
  if (reasons.length > 0) return reasons;
  if (blocks.length === 0) return ["at least one trust anchor must be provided"];
  const texts = blocks.map(({ bytes }) => bytes.toString("hex"));
  const indicesOf = (wanted: string) => [...texts.keys()].filter((index) => texts[index] === wanted);
  return [...new Set(texts)]
    .map(indicesOf)
    .filter((indices) => indices.length > 1)
    .map((indices) => `duplicate trust anchor (indices [${indices.join(" ")}])`);
}

/** Parses a certificate in DER; undefined if it is malformed. */
export function readCertificate(bytes: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}
