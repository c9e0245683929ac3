export {
  certify,
  type CertificateOptions,
  type CertificateWithKey,
  createCA,
  issueCertificate,
  type Validity,
} from "./certificate.ts";
export {
  type CertificateRequest,
  parseCertificateRequest,
  signCertificateRequest,
} from "./certificate-request.ts";
export {
  type CertificateDescription,
  describeCertificate,
  renewalTime,
  splitBundle,
} from "./describe-certificate.ts";
export type { Usage } from "./extensions.ts";
export type { AlternativeNames, Subject } from "./names.ts";
