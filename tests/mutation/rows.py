"""Changes of the package that a test must notice, written by hand.

A change whose text does not occur exactly once is an error, so the table follows the code.
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    """A change of a file of the package, and the tests that notice it, relative to ``tests``."""

    file: str
    old: str
    new: str
    tests: tuple[str, ...]


# By file and test: each text and its replacement.
# fmt: off
MUTANTS = [
    Mutant(file, old, new, (test,))
    for file, tests in {
        "catan_cp/counting/sums/kernel.py": {
            "agreement/test_problems.py::test_chosen_problems_agree": [
                ("low_sum <= tables.pips_max[s] and", "low_sum <= tables.pips_max[s] + 1 and"),
                ("+ 5 * state.scope_free[s]", "+ 4 * state.scope_free[s]"),
                ("state.scope_pips[s] -= tables.pips[k]", "pass"),
                ("if size(free) > tables.fewer[begin][j]:", "if size(free) >= tables.fewer[begin][j]:"),
                ("~tables.allow_three[state.first[w]][k]", "~tables.allow_two[k]"),
                ("may[j] = before[j] & free & ~barred[j]", "may[j] = before[j] & ~barred[j]"),
                ("if state.quota_count[q][s] >= tables.quota_most[q]:",
                    "if state.quota_count[q][s] > tables.quota_most[q]:"),
                ("banned[i + 1] = banned[i] | tables.barred", "banned[i + 1] = tables.barred")]},
        "catan_cp/counting/sums/search.py": {
            "counting/test_counting.py::test_table_equals_counts": [
                ("passed = branches[place] - 1 - after", "passed = branches[place] - after")],
            "agreement/test_problems.py::test_chosen_problems_agree": [
                ("near[b] |= 1 << a", "pass"),
                ("if quota.most < 1 for marker", "if quota.most < 0 for marker")]},
        "catan_cp/counting/markers.py": {
            "agreement/test_problems.py::test_chosen_problems_agree": [
                ('if any(misplaced_pieces(board, "markers")):', "if False:")]},
        "catan_cp/rules/requirements.py": {
            "agreement/test_problems.py::test_chosen_problems_agree": [
                ("if not least <= layout.marker_pips(m) <= most}", "if False}"),
                ("layout.terrain_marker_pips_min.get(terrain, 0)", "0"),
                ("frozenset(product(layout.coast_tiles - fixed.keys(), layout.inland))", "frozenset()"),
                ('frozenset(frozenset((name, "sea")) for name in layout.inland)', "frozenset()")],
            "rules/test_checking.py::test_demands_of_layout": [
                ("rows.append(Barred(frozenset(product(tiles, terrains - {name}))", "(Barred(frozenset()"),
                ("return (*rows, *groups)", "return (*rows, *groups[1:])"),
                ("layout.pips_max.get(tile, MOST_PIPS)", "MOST_PIPS"),
                ("return (*pinned, *bounds, *groups)", "return (*bounds, *groups)"),
                ('for subject in subjects or ("terrain", "markers"):', 'for subject in ("terrain",):')]},
        "catan_cp/counting/frontier.py": {
            "agreement/test_problems.py::test_random_problems_agree": [
                ("count * comb(n_variables - n_assigned, n)", "count * comb(n_variables, n)")],
            "counting/test_known.py::test_known_terrains": [("supply[a] == supply[b] and _alike", "_alike")]},
        "catan_cp/counting/diagram.py": {
            "counting/test_known.py::test_terrains_of_groups_are_multinomials": [
                ("MOST_SUMMED = 1 << 56", "MOST_SUMMED = 1 << 66")],
            "agreement/test_samplers.py": [
                ("column = (passed <= remaining)", "column = (passed < remaining)")],
            "counting/test_counting.py::test_rank_reverses_unrank": [
                ("(np.arange(len(names))[:, None] < column)", "(np.arange(len(names))[:, None] <= column)")]},
        "catan_cp/counting/spaces.py": {
            "counting/test_counting.py::test_rank_reverses_unrank": [
                ("begin = self._ends[number] - self.spaces[number].total", "begin = 0"),
                ("ranks[row] * space.total + rank", "ranks[row] + rank")],
            "agreement/test_problems.py::test_random_problems_agree": [
                ("return self.total // len(self.symmetries)", "return self.total")]},
        "catan_cp/counting/terrains.py": {
            "agreement/test_problems.py::test_random_problems_agree": [
                ("len(group) == 1 for group in groups", "True for group in groups")]},
        "catan_cp/anymodel/clauses.py": {
            "anymodel/test_clauses.py": [
                ('"eq": _Condition(lambda n: n == 0', '"eq": _Condition(lambda n: n >= 0'),
                ('"lt": _Condition(lambda n: n < 0', '"lt": _Condition(lambda n: n <= 0'),
                ("abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)", "a // b"),
                ("abs(a) % abs(b) * (-1 if a < 0 else 1)", "a % b"),
                ("else None if a == 0 else _quotient(1, a**-b)", "else 0"),
                ('"int_min": min, "int_max": max', '"int_min": max, "int_max": max'),
                ("if any(literal is True for literal in literals) or", "if"),
                ("rest.append(self.new())", "continue"),
                ("            self._exclude_pairs(group)\n", "            pass\n"),
                ("            self.disjunction(group, rest[-1])\n",
                    "            self.add(_not(rest[-1]), *group)\n"),
                ("        self.add(*rest)\n        self._exclude_pairs(rest)",
                    "        self._exclude_pairs(rest)"),
                ('(("int_eq", [variable.name,', '(("int_le", [variable.name,'),
                ("self.add(_not(truth), implied)\n            truth = implied", "pass"),
                ("for term in self.vars(words) for literal", "for term in self.vars(words[1:]) for literal"),
                ("lambda total: total % 2 == 1", "lambda total: total % 2 == 0"),
                ("result = False if computed is None else", "result = True if computed is None else"),
                ("self.linear((1, -1), self.vars", "self.linear((1, 1), self.vars"),
                ("self.linear((-1, *map(int, factors))", "self.linear((1, *map(int, factors))"),
                ("self.add(_not(reused))", "pass"),
                ("condition.may_fit(s + low, s + high)", "condition.may_fit(s + low, s + low)"),
                ("truth if condition.fits(s) else _not(truth))", "truth if condition.fits(s) else True)"),
                ("        for literal in literals:\n            self.add(truth, _not(literal))",
                    "        pass"),
                ("if not 1 <= place <= len(values):", "if not 0 <= place <= len(values):"),
                ("if pick(value, other_value) != value:", "if pick(value, other_value) == value:")]},
        "catan_cp/rules/constraint.py": {
            "house/test_rejections.py": [
                ('kind == "sign" and word not in _SIGNS', 'kind == "sign" and word == "::"'),
                ("word in OTHER_KEYWORDS:", "word in ():"),
                ("if token.text not in FUNCTIONS and token.text not in GLOBALS:", "if False:")],
            "rules/test_own_rules.py::test_inside_let_no_item_but_constraint": [
                ('inside_let = token.text == "constraint" and token.depth', "inside_let = token.depth")],
            "rules/test_own_rules.py::test_user_functions_replace_no_other": [
                ("if token.text in constraint.defined else token.text", "if False else token.text")]},
        "catan_cp/search/model_data.py": {
            "rules/test_models.py::test_demands_of_layout_are_in_models": [
                ("if n <= layout.pips_max.get(t, MOST_PIPS)}", "if n <= MOST_PIPS}"),
                ("choices = [ashore if t in layout.coast_tiles else", "choices = [ashore if False else")],
            "solving/test_faults.py::test_single_board_that_is_not_in_box": [
                ("return bool((counts <= pieces).all())", "return bool((counts <= pieces + 1).all())")],
            "solving/test_faults.py::test_piece_that_is_not_in_box": [
                ("return bool(((markers == 0) == bare).all())", "return True")]},
        "catan_cp/boards/details.py": {
            "house/test_rejections.py": [("            if occupied & {a, b}:", "            if False:")],
            "boards/test_layout.py::test_harbor_of_board_is_at_coast": [
                ('return sum(terrain[t] != "sea" for t in self.edge_tiles[edge]) == 1', "return True")],
            "counting/test_grounds.py::test_rejects_impossible_grounds": [
                ("if places.count(place) > 1]", "if places.count(place) > 2]")]},
        "catan_cp/boards/notation.py": {
            "boards/test_board.py::test_custom_layout_differs": [
                ("if name is not None and name.startswith(OWN) and layout.is_built_in:", "if False:")]},
        "catan_cp/boards/board.py": {
            "house/test_rejections.py::test_wrong_value_rejected": [
                ("or not values.keys() >= set(codes):", "or not values.keys() >= set(codes[1:]):")]},
        "catan_cp/files.py": {
            "studies/test_store.py::test_spreadsheet_reads_no_formula": [
                ("\"'*[=+", "\"'*[+")],
            "house/test_files.py::test_file_that_appears_meanwhile_kept": [
                ("target.hardlink_to(file)", "file.replace(target)")],
            "house/test_rejections.py::test_wrong_value_rejected": [
                ("if len(content) > most:", "if len(content) > most + 1:")],
            "house/test_files.py::test_named_pipe_rejected": [
                ("    if not regular:", "    if False:")],
            "house/test_files.py::test_long_keys_rejected_early": [
                ("_MOST_DOTS = 64", "_MOST_DOTS = 64_000")],
            "house/test_files.py::test_group_writable_folder_is_shared": [
                ("return bool(status.st_mode & stat.S_IWGRP) and", "return False and")],
            "house/test_files.py::test_folder_above_counts_as_folder_itself": [
                ("if status.st_uid not in (0, os.geteuid(), system):", "if False:"),
                ("if is_above and status.st_mode & stat.S_ISVTX:", "if status.st_mode & stat.S_ISVTX:")],
            "play/test_games.py::test_one_process_at_time_writes_file": [
                ("    except BlockingIOError:\n        return False",
                    "    except BlockingIOError:\n        return True")],
            "cli/test_cli.py::test_save_refuses_to_overwrite": [
                ("exists = target.exists() or target.is_symlink()", "exists = target.exists()")]},
        "catan_cp/compiled.py": {
            "house/test_compiled.py::test_no_cache_in_writable_folders":
                [("if cache_folder == beside or is_private(cache_folder) else", "if True else")]},
        "catan_cp/page.py": {
            "page/test_page.py::test_other_hosts_rejected": [
                ('if self.headers.get("Host", "").lower() not in self.server.names:',
                    'if not self.headers.get("Host", "").lower().startswith(self.server.names):')],
            "page/test_page.py::test_silent_clients_are_not_waited_for": [
                ("    timeout = _SECONDS_TO_ASK", "    timeout = None")],
            "page/test_page.py::test_request_sent_slowly_ended": [
                ("= time.monotonic() + _SECONDS_TO_ASK", "= time.monotonic() + 9e9")],
            "page/test_page.py::test_answer_taken_slowly_ended": [
                ("= time.monotonic() + _SECONDS_TO_ANSWER", "= time.monotonic() + 9e9")],
            "page/test_page.py::test_only_regular_files_of_folder_served": [
                (" and file.is_relative_to(os.path.realpath(self.directory)):", ":")],
            "page/test_page.py::test_at_most_thirty_two_connections": [
                ("if len(self.ends) >= _CONNECTIONS:", "if len(self.ends) > _CONNECTIONS:")],
            "page/test_page.py::test_local_network_needs_secret_path": [
                ("        if not self.path.startswith(root):", "        if False:")]},
        "catan_cp/processes.py": {
            "solving/test_faults.py::test_compiler_has_limit_of_memory": [
                ("limit_memory(memory, process.pid)", "pass")]},
        "catan_cp/solving/find.py": {
            "solving/test_faults.py::test_compiler_has_limit_of_memory": [
                ("return None if self.portable else MEMORY", "return None")],
            "solving/test_find.py::test_untrusted_private_copy_is_not_started": [
                ("if place := shared_place(program):", "if place := None:")]},
        "catan_cp/solving/listing.py": {
            "solving/test_listing.py::test_unordered_solver_reports_losses": [
                ("if repeated and not (self._backend", "if False and not (self._backend")],
            "solving/test_faults.py::test_solver_that_prints_garbage_or_crashes": [
                ("or n_numbers != count * width or", "or"),
                ("if not run.complete and (limit is None or run.found < limit):", "if False:")],
            "solving/test_faults.py::test_single_board_that_is_not_in_box": [
                ("if fits is not None and not fits(block):", "if False:")]},
        "catan_cp/studies/tables.py": {
            "studies/test_journals.py::test_hot_journal_is_for_next_writer": [
                ('"rwc" if to_write else "ro")', '"rwc" if to_write else "rw")')],
            "studies/test_journals.py::test_file_beside_store_harms_no_other": [
                ("if tail == _JOURNAL_MAGIC:", "if False:"), ("and pages * page_size > size:", "and False:"),
                (" or status.st_nlink > 1:", ":"), ('if header[18:20] != b"\\1\\1":', "if False:")],
            "studies/test_crafted.py::test_rejected_files_stay_unchanged": [
                ("    if mark != APPLICATION_ID:", "    if False:")],
            "studies/test_crafted.py::test_crafted_stores_rejected": [
                ('if verdict != "ok":', "if False:"), ("if known - stored or {", "if {")]},
        "catan_cp/studies/store.py": {
            "studies/test_store.py::test_study_rejects_other_boards": [
                ("if stored_digest not in (None, digest(notations[:n_stored])):", "if False:")],
            "studies/test_crafted.py::test_crafted_stores_rejected": [
                ("        if study.name != name:", "        if False:"),
                ('if counts["times"] != counts["made"]:', "if False:"),
                ("if not (value.isprintable() if", "if not (True if")],
            "studies/test_study.py::test_study_grows_to_larger_number": [
                ("first = outcome.chunk * size + n_stored + 1", "first = outcome.chunk * size + 1")],
            "studies/test_places.py::test_removed_store_is_noticed": [
                ("same = os.path.samestat(self.path.stat(), self._known)", "same = self.path.exists()")]},
        "catan_cp/studies/study.py": {
            "studies/test_edited_models.py::test_store_names_no_folder": [
                ('if "models" in facts["rules"]:', "if False:")],
            "studies/test_study.py::test_stored_weight_is_fraction": [
                ("    if not _FRACTION.fullmatch(text):", "    if False:")],
            "studies/test_edited_models.py::test_store_read_with_named_folder": [
                ("if digest != edited_digest(models):", "if False:")]},
        "catan_cp/play/games.py": {
            "play/test_games.py::test_table_cut_off_rejected": [
                ("if len(data) > most or not stream.eof:", "if len(data) > most:")],
            "play/test_games.py::test_values_that_no_game_has_rejected": [
                ('(rows["lead_taken"] >= 1) & (rows["lead_taken"] <= turns)', 'rows["lead_taken"] <= turns'),
                ('        rows["lead_changes"] <= turns,\n', ""),
                ("np.where(won, winners >= rules.points,", "np.where(won, True,")]},
        "catan_cp/tournament/planning.py": {
            "house/test_rejections.py": [
                ("if len(table) not in (3, 4)]", "if len(table) > 4]"),
                ("if {player for table in rounds[-1].tables for player in table} != {*players}:",
                    "if False:")],
            "tournament/test_tournament.py::test_player_who_leaves_moves_no_other": [
                ("max(0, tables.count(table) - size)", "max(0, tables.count(table) - size + 1)")]},
        "catan_cp/boards/layout_files.py": {
            "house/test_rejections.py": [
                ("if whole_number(n) is None or n < 0:", "if whole_number(n) is None:"),
                ("sum(counts.values())) != free_tiles[group]:",
                    "sum(counts.values())) > free_tiles[group]:")]},
    }.items()
    for test, rows in tests.items()
    for old, new in rows
]
# fmt: on
"""The changes. Each makes a wrong answer, accepts bad input, or drops a limit."""
