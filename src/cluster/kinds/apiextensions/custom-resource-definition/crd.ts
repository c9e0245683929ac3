import type { CRDSpec, CRDStatus } from "@tsbuilder/apimachinery/crd";
import type { ApiObject } from "../../../contract/api-object.ts";

/** A CRD as it is stored. */
export interface CustomResourceDefinition extends ApiObject {
  spec: CRDSpec;
  status?: CRDStatus;
}
