from .kit import save_kit as save_kit
from .planning import Round as Round
from .planning import Tournament as Tournament
from .planning import plan_tournament as plan_tournament
