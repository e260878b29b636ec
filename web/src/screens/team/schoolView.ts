import type { TeamView } from "../../components/event/TeamCard";
import type { ParticipantGroup } from "../../contracts/resources";

export const schoolView = ({ id, name, nickname, color, images }: ParticipantGroup): TeamView => ({
  id,
  name,
  detail: nickname,
  color,
  crest: images[0] ?? null,
});
