"""Reads a home with the installed wheel, and prints what it saw: `python_client.py SITE HOME CAMPAIGN DATASET HEAD`."""

import json
import sys

site, path, campaign, name, head = sys.argv[1:]
sys.path.insert(0, site)

from pointsman import Home, NotFound  # noqa: E402

home = Home(path)
trajectory = home.trajectory(head)
data = home.dataset(name)
missing = {}
for what, ask in {
    "campaign": lambda: home.rollouts(campaign[:-1]),
    "blob": lambda: home.blob("0" * 64),
    "home": lambda: Home(f"{path}/nowhere"),
    "format": lambda: list(data.rows("nothing")),
}.items():
    try:
        ask()
    except (NotFound, FileNotFoundError, ValueError) as error:
        missing[what] = str(error)

print(
    json.dumps(
        {
            "campaigns": home.campaigns(),
            "datasets": home.datasets(),
            "rollouts": home.rollouts(campaign).to_pandas().astype(object).where(lambda t: t.notna(), None).to_dict("records"),
            "steps": [[s.turn, s.author, s.tool, s.args, s.observation, s.exit_code, s.cost_usd, s.sha256] for s in trajectory],
            "statement": trajectory.statement,
            "frame": list(trajectory.to_pandas().shape),
            "rows": list(data.rows()),
            "pandas": data.to_pandas().to_dict("records"),
            "datasets_rows": data.to_datasets().to_list(),
            "origins": list(data.origins()),
            "dropped": list(data.dropped()),
            "missing": missing,
        }
    )
)
