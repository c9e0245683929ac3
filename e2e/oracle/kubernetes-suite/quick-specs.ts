/** Specs that only write and read objects, so that each takes a few seconds wherever it runs. */
const quick = [
  /API operations/,
  /\[sig-api-machinery\] (?:API priority|Aggregated|CustomResource|Discovery|FieldValidation|Watchers|server)/,
  /\[sig-api-machinery\] AdmissionWebhook .*(?:mutate|deny|match conditions|listing|discovery)/,
  /(?:Validating|Mutating)AdmissionPolicy/,
  /\[sig-apps\] (?:ControllerRevision|DisruptionController should (?:create|update|observe))/,
  /\[sig-auth\] .*(?:lifecycle|TokenReview|kube-root-ca|update a)/,
  /\[sig-instrumentation\]/,
  /\[sig-node\] (?:ConfigMap|Lease|PodTemplates|RuntimeClass should support|Secrets|\[DRA\])/,
  /\[sig-scheduling\] LimitRange/,
  /\[sig-storage\]/,
];

export function isQuick(spec: string): boolean {
  return quick.some((names) => names.test(spec));
}
