import type { SentObject } from "../../../contract/sent.ts";
import type { CRDSpec, CRDStatus } from "@tsbuilder/apimachinery/crd";

/** A CRD as it is stored. */
export type CustomResourceDefinition = SentObject<CRDSpec, CRDStatus>;
