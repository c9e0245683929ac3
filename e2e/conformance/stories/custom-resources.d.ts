import { type Story } from "../story.ts";
export declare const customResources: readonly Story[];
