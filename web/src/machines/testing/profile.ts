import type { Profile } from "../../contracts/resources";

export const aProfile = (temporary_password: boolean): Profile => ({
  id: 7,
  email_verified: true,
  temporary_password,
  trial_period_used: false,
  is_geo_blocked: false,
  capabilities: [],
  featureCount: { clips: 0, downloads: 0 },
});
