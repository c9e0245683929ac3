import { isEqual } from "@tsbuilder/apimachinery/json";
import type { CertificateSigningRequest } from "@tsbuilder/apimachinery/k8s/certificates/v1";
import { type Authorizer, resourceAttributes } from "../contract/authorizer.ts";
import { forbidden, qualifiedName } from "../contract/status-error.ts";
import type { User } from "../contract/user.ts";
import { readRequest } from "../kinds/certificates/read-request.ts";
import type { AdmissionRequest } from "../registry/core.ts";
import type { AdmissionPlugin } from "./admission.ts";

/**
 * CertificateApproval, CertificateSigning and CertificateSubjectRestriction: who approves or signs a request needs a
 * permission for its signer, and none makes members of `system:masters`.
 */
export function certificates(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: "CertificateApproval",
    validate(request) {
      if (qualifiedName(request.resource) !== "certificatesigningrequests.certificates.k8s.io") return;
      const reason = refusalOf(request, authorizer);
      if (reason === undefined) return;
      throw forbidden(request.resource, request.name || (request.object?.metadata.name ?? ""), reason);
    },
  };
}

type Request = Partial<CertificateSigningRequest>;

function refusalOf(request: AdmissionRequest, authorizer: Authorizer): string | undefined {
  const { operation, subresource, user } = request;
  const { spec, status } = (request.object ?? {}) as Request;
  const old = (request.oldObject ?? {}) as Request;
  // The old object names the signer: otherwise, the request could choose which permission it needs.
  const signer = old.spec?.signerName ?? "";
  switch (`${operation} ${subresource}`) {
    case "CREATE ":
      return spec?.signerName === clientSigner &&
        readRequest(spec.request)?.organizations?.includes("system:masters")
        ? `use of ${clientSigner} signer with system:masters group is not allowed`
        : undefined;
    case "UPDATE approval":
      return mayUse(signer, "approve", user, authorizer)
        ? undefined
        : `user not permitted to approve requests with signerName "${signer}"`;
    case "UPDATE status":
      return isEqual(status ?? {}, old.status ?? {}) || mayUse(signer, "sign", user, authorizer)
        ? undefined
        : `user not permitted to sign requests with signerName "${signer}"`;
  }
  return undefined;
}

const clientSigner = "kubernetes.io/kube-apiserver-client";

/** Looks for a permission for a signer, or for all of its domain. */
function mayUse(signer: string, verb: string, user: User, authorizer: Authorizer): boolean {
  return [signer, `${signer.split("/")[0]!}/*`].some((name) => {
    const place = { group: "certificates.k8s.io", version: "*", resource: "signers", name };
    return authorizer.decide(user, resourceAttributes({ verb, ...place })).allowed;
  });
}
