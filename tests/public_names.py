"""The public names of the library, package by package."""

import importlib
import inspect

PINNED = {  # what users use; a change of this list is a change for them
    "fairordinal": """
        Audit FairOrdinalClassifier FairOrdinalFrontier FairThresholdClassifier Finding
        ThresholdResult __version__ assert_pairwise_fair audit audit_counts compare
        optimize_thresholds rows_needed show_progress
    """,
    "fairordinal.baselines": """
        ConstantClassifier CumulativeClassifier HierarchicalClassifier
        LinearPostClassifier ORCA_GRIDS OrderedPartitionsClassifier PAPER_PROBABILITIES
        ProjectionEnsembleClassifier ProportionalOddsClassifier
        RandomizedMixtureClassifier WassersteinFairClassifier fair_ranker_only
        fair_thresholds_only make_orca orca_methods
    """,
    "fairordinal.cli": """
        app main
    """,
    "fairordinal.criteria": """
        ConditionalHarmParity Contrasts Criterion DemographicParity EqualOpportunity
        EqualizedOdds HarmParity PairwiseCriterion SampleCriterion
        StandardDemographicParity StandardEqualOpportunity StandardEqualizedOdds
        as_criterion
    """,
    "fairordinal.datasets": """
        fetch_communities_crime fetch_drug_consumption fetch_orca get_data_home
        load_balance_scale load_diabetes load_era load_esl load_lev load_swd
        make_biased_ordinal orca_names
    """,
    "fairordinal.estimators": """
        FairOrdinalClassifier FairThresholdClassifier
    """,
    "fairordinal.experiments": """
        ClaimCheck EXPERIMENTS Experiment Options Reproduction reproduce
    """,
    "fairordinal.frontier": """
        FairOrdinalFrontier FrontierPoint Measured ModelComparison compare
    """,
    "fairordinal.metrics": """
        PairMatrix conditional_harm_parity_difference consistency_score
        harm_parity_difference make_cost_scorer margin_loss mean_cost
        pairwise_demographic_parity_difference pairwise_demographic_parity_matrix
        pairwise_equal_opportunity_difference pairwise_equal_opportunity_matrix
        pairwise_equalized_odds_difference pairwise_equalized_odds_matrix
        standard_demographic_parity_difference standard_equal_opportunity_difference
        standard_equalized_odds_difference
    """,
    "fairordinal.models": """
        TableModel TablePreparation TrainingTable export_onnx fit_table load_model
        model_text save_model
    """,
    "fairordinal.plotting": """
        Cuts DisparityDisplay FrontierDisplay GroupConfusionDisplay ImportanceDisplay
        Points ScoreDisplay
    """,
    "fairordinal.ranker": """
        FairLinearRanker PairwiseGradient pairwise_gradient
    """,
    "fairordinal.report": """
        Report report report_compare
    """,
    "fairordinal.thresholds": """
        ThresholdResult optimize_thresholds
    """,
}


def public(module, name):
    return getattr(importlib.import_module(module), name)


PUBLIC = [
    (module, name)
    for module in PINNED
    for name in importlib.import_module(module).__all__
    if name != "__version__"
]
FUNCTIONS = [place for place in PUBLIC if inspect.isfunction(public(*place))]
